import ExclamationCircleOutlined from '@ant-design/icons/ExclamationCircleOutlined';
import { useQuery } from '@tanstack/react-query';
import { Input } from 'antd';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { type ChannelKind, channelKinds, isOffered, isSetUp, kindSpecs } from '@/lib/channel/kinds';
import { type AvailableKinds, availableKindsQuery } from '@/lib/channel/queries';
import { type Language, languages } from '@/lib/i18n/i18n';
import { Field } from '@/ui/form/Field';
import { Note } from '@/ui/Note';
import { Select } from '@/ui/Select';
import css from './ChannelFields.module.css';
import { ChannelKindBox } from './ChannelKindBox';
import type { ChannelFormState } from './useChannelForm';

/** A channel's fields: its name, its kinds with their recipients, and its language. */
export function ChannelFields({ form }: { form: ChannelFormState }) {
  const { t } = useTranslation();
  const id = useId();
  const ways = useQuery(availableKindsQuery()).data;
  const own = languages.find(({ code }) => code === ways?.language);
  const { values, change } = form;
  /** A kind that is not set up any more stays where it is in use. */
  const isShown = (mode: ChannelKind) => form.before.on[mode] || values.on[mode] || isOffered(mode, ways);
  const modesError = form.errorOf('modes');
  return (
    <>
      <Field label={t('channel.name')} required error={form.errorOf('name')}>
        {(labels) => (
          <Input
            {...labels}
            autoFocus
            autoComplete="off"
            value={values.name}
            onChange={({ target }) => change({ name: target.value })}
            onBlur={() => {
              if (values.name !== '') form.leave('name');
            }}
          />
        )}
      </Field>
      <fieldset className={css.modes}>
        <legend className={css.legend}>
          {t('channel.mode')}
          <span className={css.star} aria-hidden="true">
            *
          </span>
        </legend>
        {channelKinds.filter(isShown).map((mode) => (
          <ChannelKindBox
            key={mode}
            mode={mode}
            form={form}
            wrong={modesError !== undefined}
            describedBy={modesError ? id : undefined}
            note={<WayNote mode={mode} ways={ways} />}
          />
        ))}
        {modesError ? (
          <p className={css.error} id={id}>
            <ExclamationCircleOutlined aria-hidden="true" />
            <span>{modesError}</span>
          </p>
        ) : null}
      </fieldset>
      <Field label={t('channel.form.language')} hint={t('channel.form.languageHint')}>
        {({ status: _, ...labels }) => (
          <Select
            {...labels}
            className={css.language}
            value={values.language}
            onChange={({ target }) => change({ language: target.value as Language | '' })}
          >
            <option value="">
              {own ? t('channel.form.languageOwnNamed', { name: own.name }) : t('channel.form.languageOwn')}
            </option>
            {languages.map(({ code, name, tag }) => (
              <option key={code} value={code} lang={tag}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
    </>
  );
}

/** A note that this server cannot deliver this way, or only simulates it. */
function WayNote({ mode, ways }: { mode: ChannelKind; ways: AvailableKinds | undefined }) {
  const { t } = useTranslation();
  if (!ways) return null;
  const logged = kindSpecs[mode].isLogged?.(ways) === true;
  if (isSetUp(mode, ways) && !logged) return null;
  return (
    <div className={css.note}>
      <Note tone={logged ? 'info' : 'warn'}>{t(logged ? 'channel.logged' : `channel.off.${mode}`)}</Note>
    </div>
  );
}
