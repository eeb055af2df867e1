import EditOutlined from '@ant-design/icons/EditOutlined';
import EllipsisOutlined from '@ant-design/icons/EllipsisOutlined';
import KeyOutlined from '@ant-design/icons/KeyOutlined';
import SafetyCertificateOutlined from '@ant-design/icons/SafetyCertificateOutlined';
import { Button, Dropdown } from 'antd';
import { useCallback, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useClock } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import { isLanguage } from '@/lib/i18n/i18n';
import { descriptors } from '@/lib/i18n/languages';
import { IconButton } from '@/ui/IconButton';
import { Address } from '../Address';
import css from './cells.module.css';
import { nameOf } from './names';
import type { PersonAction } from './PersonConfirmDialog';
import type { Person } from './queries';

interface CellProps {
  person: Person;
}

/** The name, and that it is the reader's own. */
export function Name({ person, isSelf }: CellProps & { isSelf: boolean }) {
  const { t } = useTranslation();
  return (
    <>
      {nameOf(person)}
      {isSelf ? (
        <>
          {' '}
          <span className={css.you}>{t('people.you')}</span>
        </>
      ) : null}
    </>
  );
}

/** What the person signs in with, where they are called otherwise. */
export function UserName({ person }: CellProps) {
  return nameOf(person) === person.userName ? null : <span className={css.quiet}>{person.userName}</span>;
}

/** The address, and the language of mails to it. */
export function Contact({ person: { email, language } }: CellProps) {
  const { t } = useTranslation();
  return (
    <span className={css.cell}>
      <span className={email ? undefined : css.none}>{email ? <Address of={email} /> : t('people.noEmail')}</span>
      <span className={css.quiet} title={t('people.language')}>
        {isLanguage(language) ? descriptors[language].name : t('channel.form.languageOwn')}
      </span>
    </span>
  );
}

/** The role, and who else than an owner gave it. */
export function RoleCell({ person: { role, roleFrom } }: CellProps) {
  const { t } = useTranslation();
  return (
    <span className={css.cell}>
      <span title={t(`role.may.${role}`)}>{t(`role.${role}`)}</span>
      {roleFrom === 'here' ? null : <span className={css.quiet}>{t(`people.roleFrom.${roleFrom}`)}</span>}
    </span>
  );
}

/** That the person has a second factor. */
export function FactorCell({ person }: CellProps) {
  const { t } = useTranslation();
  return person.secondFactor ? (
    <span className={css.quiet}>
      <SafetyCertificateOutlined aria-hidden="true" /> {t('factor.name')}
    </span>
  ) : null;
}

/** How many API keys the person has, and the way to them; nothing for somebody who has none. */
export function KeysCell({ person, onKeys }: CellProps & { onKeys: (person: Person) => void }) {
  const { t } = useTranslation();
  if (person.keys === 0) return null;
  const count = t('people.keys.count', { count: person.keys });
  return (
    <Button
      type="text"
      size="small"
      className={css.keys}
      icon={<KeyOutlined aria-hidden="true" />}
      aria-label={`${count}: ${nameOf(person)}`}
      aria-haspopup="dialog"
      onClick={() => onKeys(person)}
    >
      {count}
    </Button>
  );
}

export function LastSignIn({ person: { loginDate } }: CellProps) {
  const { t } = useTranslation();
  return loginDate ? <Ago at={loginDate} /> : <span className={css.none}>{t('people.neverSignedIn')}</span>;
}

function Ago({ at }: { at: number }) {
  const format = useFormat();
  const ago = useClock(useCallback((now: number) => format.ago(at, now), [format, at]));
  return (
    <time className={css.time} dateTime={new Date(at).toISOString()} title={format.absolute(at)}>
      {ago}
    </time>
  );
}

interface ActionsProps extends CellProps {
  /** The reader's own row: the own second factor is turned off with a code, elsewhere. */
  isSelf: boolean;
  onEdit: (person: Person) => void;
  onAsk: (asked: PersonAction) => void;
}

export function Actions({ person, isSelf, onEdit, onAsk }: ActionsProps) {
  const { t } = useTranslation();
  const more = useRef<HTMLButtonElement>(null);
  const name = nameOf(person);
  const ask = (what: PersonAction['what']) => () => onAsk({ what, person });
  /** When the menu closes, the focus returns from it to its button. */
  const back = (open: boolean) => {
    if (!open && document.activeElement?.closest('[role=menu]')) more.current?.focus();
  };
  const { state, removable, secondFactor } = person;
  // Whom the provider has shut out stays out, whatever is chosen here.
  const items = [
    ...(state === 'active'
      ? [
          { key: 'end', label: t('people.endSessions'), onClick: ask('end') },
          { key: 'disable', label: t('people.disable'), onClick: ask('disable') },
        ]
      : []),
    ...(state === 'disabled' ? [{ key: 'enable', label: t('people.enable'), onClick: ask('enable') }] : []),
    ...(secondFactor && !isSelf ? [{ key: 'reset', label: t('people.resetFactor'), onClick: ask('reset') }] : []),
    ...(removable ? [{ key: 'delete', danger: true, label: t('common.delete'), onClick: ask('delete') }] : []),
  ];
  return (
    <span className={css.actions}>
      <Button
        type="text"
        size="small"
        className={css.edit}
        icon={<EditOutlined aria-hidden="true" />}
        aria-label={`${t('people.change')}: ${name}`}
        onClick={() => onEdit(person)}
      >
        {t('people.change')}
      </Button>
      {items.length > 0 ? (
        <Dropdown menu={{ items }} autoFocus onOpenChange={back} trigger={['click']} placement="bottomRight">
          <IconButton
            ref={more}
            className={css.more}
            label={t('people.more', { name })}
            aria-haspopup="menu"
            icon={<EllipsisOutlined aria-hidden="true" />}
          />
        </Dropdown>
      ) : null}
    </span>
  );
}
