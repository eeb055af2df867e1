import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Input, type InputRef } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { components } from '@/api/schema.gen';
import { toast } from '@/lib/feedback/feedback';
import { api } from '@/lib/http/api';
import { consoleSettingsQuery, userQuery } from '@/lib/http/queries';
import { useDraft } from '@/lib/storage/useDraft';
import { DraftBar } from '@/ui/DraftBar';
import { Field } from '@/ui/form/Field';
import { SendButton } from '@/ui/form/SendButton';
import { useForm } from '@/ui/form/useForm';
import css from '../form/form.module.css';
import { MobileField } from './MobileField';
import { checkInfo, type Info, type InfoError } from './rules';

type User = components['schemas']['User'];

interface InfoTabProps {
  user: User;
  onPhone: () => void;
}

type Typed = Partial<Pick<Info, 'nickname' | 'email'>>;

/** The typed fields that differ from the saved ones. */
function unsavedFields({ nickname, email }: Typed, saved: Typed): Typed {
  return {
    ...(nickname === undefined || nickname === saved.nickname ? {} : { nickname }),
    ...(email === undefined || email === saved.email ? {} : { email }),
  };
}

/** A stored draft may have any content. */
function draftFields(draft: Partial<Typed> | null): Typed {
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  return unsavedFields({ nickname: text(draft?.nickname), email: text(draft?.email) }, {});
}

/**
 * Edits nickname and e-mail address. The mobile number changes only with a code, in a dialog of its
 * own.
 */
export function InfoTab({ user, onPhone }: InfoTabProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  // Only typed fields are kept here, so that the other fields follow the server.
  const [typed, setTyped] = useState<Typed>({});
  const sms = useQuery(consoleSettingsQuery()).data?.sms ?? true;
  const values: Info = { nickname: user.nickname, email: user.email, ...typed, mobile: user.mobile };
  const unsavedNow = unsavedFields(typed, user);
  const draft = useDraft<Typed>('profile', Object.keys(unsavedNow).length > 0 ? unsavedNow : null);

  const save = useMutation({
    mutationFn: ({ nickname, email, mobile }: Info) =>
      api.put('/app-api/member/user/update', {
        body: { id: user.id, nickname: nickname.trim(), email: email.trim(), ...(mobile === '' ? {} : { mobile }) },
      }),
    meta: { failure: 'profile.saveFail', tone: 'error' },
    onSuccess: (_, { nickname, email }) => {
      toast.success(t('profile.saveOk'));
      draft.clear();
      const { queryKey } = userQuery();
      client.setQueryData(queryKey, (known) => known && { ...known, nickname: nickname.trim(), email: email.trim() });
      void client.invalidateQueries({ queryKey });
      // Text that was typed during the request has not been saved yet.
      setTyped((now) => unsavedFields(now, { nickname, email }));
    },
  });

  const form = useForm<Info, InfoError>({
    values,
    check: (info) => checkInfo(info, sms),
    busy: save.isPending,
    onSubmit: (info) => save.mutate(info),
  });
  const nickname = form.field('nickname');
  const email = form.field('email');

  return (
    <form className={css.form} onSubmit={form.submit} noValidate aria-label={t('profile.info')}>
      {draft.offered ? (
        <div className={css.note}>
          <DraftBar onRestore={() => setTyped({ ...typed, ...draftFields(draft.take()) })} onDiscard={draft.discard} />
        </div>
      ) : null}
      <Field label={t('profile.nickname')} required error={nickname.error && t(nickname.error)}>
        {(labels) => (
          <Input
            {...labels}
            ref={nickname.ref as (input: InputRef | null) => void}
            value={values.nickname}
            onChange={(event) => setTyped({ ...typed, nickname: event.target.value })}
            onBlur={nickname.onBlur}
            autoComplete="nickname"
            maxLength={64}
          />
        )}
      </Field>
      <MobileField number={user.mobile} sms={sms} field={form.field('mobile')} onPhone={onPhone} />
      <Field label={t('profile.email')} required error={email.error && t(email.error)}>
        {(labels) => (
          <Input
            {...labels}
            ref={email.ref as (input: InputRef | null) => void}
            value={values.email}
            onChange={(event) => setTyped({ ...typed, email: event.target.value })}
            onBlur={email.onBlur}
            type="email"
            autoComplete="email"
            spellCheck={false}
            maxLength={254}
          />
        )}
      </Field>
      <SendButton loading={save.isPending} className={css.submit}>
        {t('common.save')}
      </SendButton>
    </form>
  );
}
