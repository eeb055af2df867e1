import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button, Input, type InputRef } from 'antd';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '@/lib/feedback/feedback';
import { errorText } from '@/lib/http/errorText';
import { Dialog } from '@/ui/Dialog';
import { Field } from '@/ui/form/Field';
import { SegmentedControl } from '@/ui/form/SegmentedControl';
import { SendButton } from '@/ui/form/SendButton';
import { useForm } from '@/ui/form/useForm';
import { Note } from '@/ui/Note';
import css from './fields.module.css';
import {
  checkInvitation,
  emptyInvitation,
  type InvitationError,
  type InvitationValues,
  invitationRefusal,
  isMailOff,
  requestOf,
} from './invitationForm';
import { LanguageField } from './LanguageField';
import type { FreshLink } from './LinkDialog';
import { invitationsKey, invite } from './queries';
import { RoleField } from './RoleField';

interface InviteDialogProps {
  open: boolean;
  /** Whether the server can send invitations by mail. */
  mail: boolean;
  onClose: () => void;
  /** The invitation is made, and this is its link to pass on. */
  onLink: (fresh: FreshLink) => void;
}

/** Invites a person, by mail or with a link to pass on. */
export function InviteDialog({ open, mail, onClose, onLink }: InviteDialogProps) {
  const { t } = useTranslation();
  const id = useId();
  const client = useQueryClient();
  const [changed, setChanged] = useState<Partial<InvitationValues>>({});
  const values = { ...emptyInvitation(mail), ...changed };
  const byMail = values.way === 'mail';
  const wayHint = byMail ? (mail ? 'people.form.mailHint' : 'people.form.mailOff') : 'people.form.linkHint';

  const send = useMutation({
    mutationFn: (wanted: InvitationValues) => invite(requestOf(wanted)),
    // The link is kept in a single place only.
    gcTime: 0,
    meta: { shows: [601, -699], failure: 'people.form.fail' },
    onSuccess: ({ link, expiresTime }, { email: to, role }) => {
      if (link === undefined) toast.success(t('people.form.sent', { email: to.trim() }));
      else onLink({ link, role, expiresTime });
      onClose();
    },
    // Also after a failure: if the answer was lost, the invitation may exist.
    onSettled: () => void client.invalidateQueries({ queryKey: invitationsKey }),
  });
  const form = useForm<InvitationValues, InvitationError>({
    values,
    check: checkInvitation,
    busy: send.isPending,
    onSubmit: (wanted) => send.mutate(wanted),
  });
  const mailOff = isMailOff(send.error) ? errorText(send.error) : undefined;
  const refusal = mailOff ? undefined : invitationRefusal(send.error, t);
  const refused = (field: 'email' | 'role' | 'nickname') => (refusal?.field === field ? refusal.text : undefined);
  const change = (part: Partial<InvitationValues>) => {
    setChanged((before) => ({ ...before, ...part }));
    // What the server said no longer holds once something is changed.
    if (send.isError) send.reset();
  };
  const address = form.field('email');

  return (
    <Dialog
      open={open}
      title={t('people.form.title')}
      onClose={onClose}
      firm={values.email !== '' || values.nickname !== ''}
      onClosed={() => {
        setChanged({});
        form.forget();
        send.reset();
      }}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <SendButton form={id} loading={send.isPending}>
            {t(byMail ? 'people.form.send' : 'people.form.make')}
          </SendButton>
        </>
      }
    >
      <form id={id} onSubmit={form.submit} noValidate>
        {mailOff ? (
          <div className={css.note}>
            <Note
              tone="wrong"
              title={t('people.form.fail')}
              action={<Button onClick={() => change({ way: 'link' })}>{t('people.form.link')}</Button>}
            >
              {mailOff}
            </Note>
          </div>
        ) : null}
        {refusal?.field === 'form' ? (
          <div className={css.note}>
            <Note tone="wrong" title={t('people.form.fail')}>
              {refusal.text}
            </Note>
          </div>
        ) : null}
        <div className={css.way}>
          <p className={css.wayLabel} aria-hidden="true">
            {t('people.form.way')}
          </p>
          <SegmentedControl
            label={t('people.form.way')}
            value={values.way}
            options={[
              { value: 'mail', words: t('people.form.mail') },
              { value: 'link', words: t('people.form.link') },
            ]}
            onChange={(way) => change({ way })}
          />
          <p className={css.wayHint}>{t(wayHint)}</p>
        </div>
        <Field
          label={t('profile.email')}
          required={byMail}
          error={address.error ? t(address.error) : refused('email')}
          hint={byMail ? undefined : t('people.form.emailHint')}
        >
          {(labels) => (
            <Input
              {...labels}
              ref={address.ref as (input: InputRef | null) => void}
              autoFocus
              type="email"
              inputMode="email"
              value={values.email}
              onChange={({ target }) => change({ email: target.value })}
              onBlur={address.onBlur}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              maxLength={254}
            />
          )}
        </Field>
        <RoleField role={values.role} error={refused('role')} onChange={(role) => change({ role })} />
        <Field label={t('profile.nickname')} error={refused('nickname')} hint={t('people.form.nicknameHint')}>
          {(labels) => (
            <Input
              {...labels}
              value={values.nickname}
              onChange={({ target }) => change({ nickname: target.value })}
              autoComplete="off"
              maxLength={64}
            />
          )}
        </Field>
        <LanguageField
          language={values.language}
          hint={t('people.form.languageHint')}
          onChange={(language) => change({ language })}
        />
      </form>
    </Dialog>
  );
}
