import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Input, type InputRef, Switch } from 'antd';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '@/lib/feedback/feedback';
import { formErrorText } from '@/lib/http/errorText';
import { fieldRefusal } from '@/lib/http/fieldRefusal';
import { Field } from '@/ui/form/Field';
import { SendButton } from '@/ui/form/SendButton';
import { useForm } from '@/ui/form/useForm';
import { Note } from '@/ui/Note';
import form from '../form/form.module.css';
import css from './HomeAssistantForm.module.css';
import { PasswordField } from './PasswordField';
import { type HomeAssistant, homeAssistantQuery, updateHomeAssistant } from './queries';
import { bodyOf, checkValues, type UrlError, type Values, valuesOf } from './values';

/** The settings: whether devices are announced, and at which broker. */
export function HomeAssistantForm({ stored }: { stored: HomeAssistant }) {
  const { t } = useTranslation();
  const id = useId();
  const client = useQueryClient();
  // Only what was typed is kept here, so that everything else follows the server.
  const [typed, setTyped] = useState<Partial<Values>>({});
  const values = valuesOf(stored, typed);
  const names = {
    url: t('homeAssistant.url'),
    userName: t('homeAssistant.userName'),
    password: t('homeAssistant.password'),
    discoveryPrefix: t('homeAssistant.prefix'),
    baseTopic: t('homeAssistant.base'),
  };
  const refusalOf = (error: unknown) => fieldRefusal(formErrorText(error), names);

  const save = useMutation({
    mutationFn: (wanted: Values) => updateHomeAssistant(bodyOf(wanted)),
    // The password is kept in a single place only.
    gcTime: 0,
    meta: { shows: [601], failure: 'common.saveFail' },
    onSuccess: (saved) => {
      client.setQueryData(homeAssistantQuery().queryKey, saved);
      setTyped({});
      toast.success(t('homeAssistant.saved'));
    },
    onError: (error): void => {
      const field = refusalOf(error)?.field;
      if (field && field !== 'form') fields.focus(field);
    },
    // Also after a failure: without an answer, it may have been saved nevertheless.
    onSettled: () => void client.invalidateQueries({ queryKey: homeAssistantQuery().queryKey }),
  });
  const fields = useForm<Values, UrlError>({
    values,
    check: checkValues,
    busy: save.isPending,
    onSubmit: (all) => save.mutate(all),
  });
  const refusal = refusalOf(save.error);
  const refused = (field: keyof typeof names) => (refusal?.field === field ? refusal.text : undefined);
  const change = (part: Partial<Values>) => {
    setTyped((before) => ({ ...before, ...part }));
    if (save.isError) save.reset();
  };
  const [url, userName, password] = [fields.field('url'), fields.field('userName'), fields.field('password')];
  const topicRefused = refused('discoveryPrefix') ?? refused('baseTopic');

  return (
    <form className={form.form} onSubmit={fields.submit} noValidate aria-label={t('homeAssistant.title')}>
      {refusal?.field === 'form' ? (
        <div className={form.note}>
          <Note tone="wrong" title={t('common.saveFail')}>
            {refusal.text}
          </Note>
        </div>
      ) : null}
      <div className={css.switch}>
        <div className={css.words}>
          <label className={css.label} htmlFor={`${id}-enabled`}>
            {t('homeAssistant.enabled')}
          </label>
          <p className={css.hint} id={`${id}-hint`}>
            {t('homeAssistant.enabledHint')}
          </p>
        </div>
        <Switch
          id={`${id}-enabled`}
          aria-describedby={`${id}-hint`}
          checked={values.enabled}
          onChange={(enabled) => change({ enabled })}
        />
      </div>
      <Field
        label={names.url}
        required={values.enabled}
        error={(url.error && t(url.error)) ?? refused('url')}
        hint={t('homeAssistant.urlHint')}
      >
        {(labels) => (
          <Input
            {...labels}
            ref={url.ref as (input: InputRef | null) => void}
            inputMode="url"
            value={values.url}
            onChange={({ target }) => change({ url: target.value })}
            onBlur={url.onBlur}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={255}
          />
        )}
      </Field>
      <Field label={names.userName} error={refused('userName')} hint={t('homeAssistant.userNameHint')}>
        {(labels) => (
          <Input
            {...labels}
            ref={userName.ref as (input: InputRef | null) => void}
            value={values.userName}
            onChange={({ target }) => change({ userName: target.value })}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={256}
          />
        )}
      </Field>
      <PasswordField
        label={names.password}
        stored={stored.hasPassword}
        removes={values.removesPassword}
        value={values.password}
        error={refused('password')}
        inputRef={password.ref}
        onChange={change}
      />
      <details className={css.more} open={topicRefused !== undefined || undefined}>
        <summary>{t('homeAssistant.more')}</summary>
        {(
          [
            ['discoveryPrefix', 'homeAssistant.prefixHint'],
            ['baseTopic', 'homeAssistant.baseHint'],
          ] as const
        ).map(([field, hint]) => (
          <Field key={field} label={names[field]} error={refused(field)} hint={t(hint)}>
            {(labels) => (
              <Input
                {...labels}
                ref={fields.field(field).ref as (input: InputRef | null) => void}
                value={values[field]}
                onChange={({ target }) => change({ [field]: target.value })}
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                maxLength={128}
              />
            )}
          </Field>
        ))}
      </details>
      <SendButton loading={save.isPending} className={form.submit}>
        {t('common.save')}
      </SendButton>
    </form>
  );
}
