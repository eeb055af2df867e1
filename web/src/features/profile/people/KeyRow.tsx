import DeleteOutlined from '@ant-design/icons/DeleteOutlined';
import WarningOutlined from '@ant-design/icons/WarningOutlined';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { useClock } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import { IconButton } from '@/ui/IconButton';
import { Access, Expiry } from '../apps/AccessCells';
import { StateChip } from '../apps/StateChip';
import css from './KeysDialog.module.css';
import type { PersonKey } from './queries';

interface KeyRowProps {
  of: PersonKey;
  onDelete: () => void;
}

/** A key as it was made, what it may do now where that is less, until when, and when it was last used. */
export function KeyRow({ of: key, onDelete }: KeyRowProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { name, appKey, role, mayRole, lastUseTime } = key;
  const age = useClock(
    useCallback((now: number) => (lastUseTime ? format.ago(lastUseTime, now) : ''), [format, lastUseTime]),
  );
  return (
    <li className={css.row}>
      <div className={css.key}>
        <p className={css.name}>{name}</p>
        <code className={css.code}>{appKey}</code>
        <p className={css.quiet} title={lastUseTime ? format.absolute(lastUseTime) : undefined}>
          {lastUseTime ? t('app.lastUse', { age }) : t('app.neverUsed')}
        </p>
      </div>
      <div className={css.may}>
        <Access {...key} />
        {mayRole === role ? null : (
          <span className={css.less}>
            <WarningOutlined aria-hidden="true" />
            {t('people.keys.now', { role: t(`role.${mayRole}`) })}
          </span>
        )}
      </div>
      <div className={css.state}>
        <StateChip {...key} />
        <Expiry {...key} />
      </div>
      <IconButton
        label={`${t('app.deleteKey')}: ${name}`}
        icon={<DeleteOutlined aria-hidden="true" />}
        className={css.delete}
        onClick={onDelete}
      />
    </li>
  );
}
