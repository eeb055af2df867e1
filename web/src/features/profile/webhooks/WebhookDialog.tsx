import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button, Checkbox, Input, type InputRef } from 'antd';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '@/lib/feedback/feedback';
import { createErrorText } from '@/lib/http/createErrorText';
import { formErrorText } from '@/lib/http/errorText';
import { Dialog } from '@/ui/Dialog';
import { Field } from '@/ui/form/Field';
import { SendButton } from '@/ui/form/SendButton';
import { useForm } from '@/ui/form/useForm';
import { Note } from '@/ui/Note';
import { Select } from '@/ui/Select';
import { keepWebhookSecret } from './freshSecret';
import { createWebhook, updateWebhook, type Webhook, type WebhookInput, webhooksKey } from './queries';
import { checkWebhook, events, levels, valuesOf, type WebhookError } from './values';
import css from './WebhookDialog.module.css';

interface WebhookDialogProps {
  open: boolean;
  /** The webhook to change; null: a new one. */
  of: Webhook | null;
  onClose: () => void;
}

/** Edits a webhook: its name, its address, and its events. */
export function WebhookDialog({ open, of, onClose }: WebhookDialogProps) {
  const { t } = useTranslation();
  const id = useId();
  const client = useQueryClient();
  const [values, setValues] = useState<WebhookInput>(valuesOf(of));
  const [was, setWas] = useState(open);
  if (open !== was) {
    setWas(open);
    if (open) setValues(valuesOf(of));
  }
  const change = (part: Partial<WebhookInput>) => setValues((before) => ({ ...before, ...part }));

  const save = useMutation({
    mutationFn: async (wanted: WebhookInput) => {
      if (of) await updateWebhook(of.id, wanted);
      return { name: wanted.name, made: of ? null : await createWebhook(wanted) };
    },
    // The secret is kept in a single place only.
    gcTime: 0,
    meta: { shows: [601], failure: 'common.saveFail' },
    onSuccess: ({ name, made }) => {
      if (made) keepWebhookSecret({ name, secret: made.secret });
      toast.success(t(made ? 'webhook.created' : 'webhook.saved'));
      onClose();
    },
    // Also after a failure: without an answer, the webhook may have been saved nevertheless.
    onSettled: () => void client.invalidateQueries({ queryKey: webhooksKey }),
  });

  const form = useForm<WebhookInput, WebhookError>({
    values,
    check: checkWebhook,
    busy: save.isPending,
    onSubmit: (all) => save.mutate({ ...all, name: all.name.trim(), url: all.url.trim() }),
  });
  const [name, url, chosen] = [form.field('name'), form.field('url'), form.field('events')];
  const failure = of ? formErrorText(save.error) : createErrorText(save.error);

  return (
    <Dialog
      open={open}
      title={t(of ? 'webhook.edit' : 'webhook.new')}
      onClose={onClose}
      firm={JSON.stringify(values) !== JSON.stringify(valuesOf(of))}
      onClosed={() => {
        form.forget();
        save.reset();
      }}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <SendButton form={id} loading={save.isPending}>
            {t(of ? 'common.save' : 'webhook.create')}
          </SendButton>
        </>
      }
    >
      <form id={id} onSubmit={form.submit} noValidate className={css.form}>
        {failure ? (
          <Note tone="wrong" title={t('common.saveFail')}>
            {failure}
          </Note>
        ) : null}
        <Field label={t('webhook.name')} required error={name.error && t(name.error)} hint={t('app.nameHint')}>
          {(labels) => (
            <Input
              {...labels}
              ref={name.ref as (input: InputRef | null) => void}
              autoFocus
              value={values.name}
              onChange={({ target }) => change({ name: target.value })}
              onBlur={name.onBlur}
              autoComplete="off"
              maxLength={64}
            />
          )}
        </Field>
        <Field label={t('webhook.url')} required error={url.error && t(url.error)} hint={t('webhook.urlHint')}>
          {(labels) => (
            <Input
              {...labels}
              ref={url.ref as (input: InputRef | null) => void}
              type="url"
              inputMode="url"
              value={values.url}
              onChange={({ target }) => change({ url: target.value })}
              onBlur={url.onBlur}
              autoComplete="off"
              spellCheck={false}
              maxLength={1024}
            />
          )}
        </Field>
        <fieldset className={css.events}>
          <legend className={css.legend}>
            {t('webhook.events')}
            <span className={css.star} aria-hidden="true">
              *
            </span>
          </legend>
          {events.map((event, i) => (
            <Checkbox
              key={event}
              ref={i === 0 ? (box) => chosen.ref(box?.input ?? null) : undefined}
              className={css.event}
              checked={values.events.includes(event)}
              aria-describedby={chosen.error ? `${id}-events` : undefined}
              onChange={({ target }) =>
                change({
                  events: events.filter((known) => (known === event ? target.checked : values.events.includes(known))),
                })
              }
            >
              {t(`webhook.event.${event}`)}
            </Checkbox>
          ))}
          {chosen.error ? (
            <p className={css.error} id={`${id}-events`}>
              {t(chosen.error)}
            </p>
          ) : null}
        </fieldset>
        <Field label={t('webhook.level')} hint={t('webhook.levelHint')}>
          {({ status: _, ...labels }) => (
            <Select
              {...labels}
              value={values.alarmLevel}
              onChange={({ target }) => change({ alarmLevel: levels[Number(target.value)] ?? 0 })}
            >
              {levels.map((level) => (
                <option key={level} value={level}>
                  {t(`webhook.levels.${level}`)}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </form>
    </Dialog>
  );
}
