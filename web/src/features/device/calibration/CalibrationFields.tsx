import { useQuery } from '@tanstack/react-query';
import { ConfigProvider, Input, type InputRef } from 'antd';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { propertyName } from '@/lib/device/derivation';
import { tslQuery } from '@/lib/device/queries';
import type { Device } from '@/lib/device/types';
import { now } from '@/lib/format/clock';
import { startOfDay } from '@/lib/format/date';
import { useFormat } from '@/lib/format/format';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { useLanguage } from '@/lib/i18n/i18n';
import { descriptors } from '@/lib/i18n/languages';
import { DatePicker, pickedTime, pickerDate } from '@/ui/form/DatePicker';
import { Field } from '@/ui/form/Field';
import { phoneCells } from '@/ui/form/phoneCells';
import { SegmentedControl } from '@/ui/form/SegmentedControl';
import timePopup from '@/ui/form/timePopup.module.css';
import { Note } from '@/ui/Note';
import { Select } from '@/ui/Select';
import { ZoneNote } from '@/ui/ZoneNote';
import css from './CalibrationDialog.module.css';
import { Preview } from './Preview';
import { isCalibratable } from './properties';
import { kinds, maxNoteLength, type NumberName, pointNames } from './rules';
import type { CalibrationForm } from './useCalibrationForm';

/** The fields of a calibration to make, and what it does with the latest reading. */
export function CalibrationFields({ device, calibrating }: { device: Device; calibrating: CalibrationForm }) {
  const { t } = useTranslation();
  const format = useFormat();
  const language = useLanguage((state) => state.language);
  const isPhone = useMediaQuery(phoneQuery);
  const { form, values, refusal, change } = calibrating;
  const properties = (useQuery(tslQuery(language, device.deviceName)).data?.propertie ?? []).filter(isCalibratable);
  const property = properties.find(({ identifier }) => identifier === values.sign);
  const [sign, since, note] = [form.field('sign'), form.field('fromTime'), form.field('note')];
  const refused = (field: NonNullable<typeof refusal>['field']) =>
    refusal?.field === field ? refusal.text : undefined;
  const date = useMemo(() => (values.fromTime === null ? null : pickerDate(values.fromTime)), [values.fromTime]);

  const number = (name: NumberName, autoFocus = false) => {
    const { error, ref, onBlur } = form.field(name);
    return (
      <Field
        label={t(`calibration.form.${name}`)}
        required
        error={error ? t(error) : refused(name)}
        hint={name === 'offset' ? t('calibration.form.offsetHint') : undefined}
      >
        {(labels) => (
          <Input
            {...labels}
            ref={ref as (input: InputRef | null) => void}
            autoFocus={autoFocus}
            value={values[name]}
            onChange={({ target }) => change({ [name]: target.value })}
            onBlur={onBlur}
            inputMode={name === 'offset' ? 'text' : 'decimal'}
            autoComplete="off"
            suffix={format.unit(property?.elementUnit ?? '') || <span />}
          />
        )}
      </Field>
    );
  };

  return (
    <>
      {refusal?.field === 'form' ? (
        <div className={css.note}>
          <Note tone="wrong" title={t('common.saveFail')}>
            {format.capital(refusal.text)}
          </Note>
        </div>
      ) : null}
      <Field label={t('calibration.form.property')} required error={sign.error ? t(sign.error) : refused('sign')}>
        {({ status: _, ...labels }) => (
          <span ref={(box) => sign.ref(box?.querySelector('select') ?? null)}>
            <Select
              {...labels}
              className={css.select}
              value={values.sign}
              onChange={({ target }) => change({ sign: target.value })}
            >
              {property ? null : <option value="">{t('calibration.form.choose')}</option>}
              {properties.map((each) => (
                <option key={each.identifier} value={each.identifier}>
                  {propertyName(each)}
                </option>
              ))}
            </Select>
          </span>
        )}
      </Field>
      <Field
        label={t('calibration.form.since')}
        required
        error={since.error ? t(since.error) : refused('fromTime')}
        hint={t('calibration.form.sinceHint')}
        below={<ZoneNote />}
      >
        {({ status, ...labels }) => (
          <ConfigProvider theme={isPhone ? phoneCells : {}}>
            <DatePicker
              {...labels}
              ref={since.ref}
              status={status}
              className={css.select}
              classNames={{ popup: { root: timePopup.popup } }}
              value={date}
              onChange={(chosen) => {
                change({ fromTime: chosen ? pickedTime(chosen) : null });
                since.leave();
              }}
              showTime={{ format: 'HH:mm' }}
              format={`${descriptors[language].picker} HH:mm`}
              needConfirm={false}
              // Enter takes the time that was typed; it does not send the form as well.
              onKeyDown={(event) => {
                if (event.key === 'Enter') event.preventDefault();
              }}
              allowClear={false}
              disabledDate={(day) => startOfDay(pickedTime(day)) > now()}
            />
          </ConfigProvider>
        )}
      </Field>
      <div className={css.kind}>
        <p className={css.kindLabel} aria-hidden="true">
          {t('calibration.form.kind')}
        </p>
        <SegmentedControl
          label={t('calibration.form.kind')}
          value={values.kind}
          options={kinds.map((kind) => ({ value: kind, words: t(`calibration.kind.${kind}`) }))}
          onChange={(kind) => change({ kind })}
        />
        <p className={css.kindHint}>{t(`calibration.kindHint.${values.kind}`)}</p>
      </div>
      {values.kind === 'offset' ? number('offset', true) : null}
      {values.kind === 'twoPoint' ? (
        <div className={css.points}>
          {pointNames.map((name) => (
            <div key={name}>{number(name)}</div>
          ))}
        </div>
      ) : null}
      <Preview device={device} values={values} property={property} said={form.field('raw2').error !== undefined} />
      <Field
        label={t('calibration.form.note')}
        error={note.error ? t(note.error, { most: maxNoteLength }) : refused('note')}
        hint={t('calibration.form.noteHint')}
      >
        {(labels) => (
          <Input.TextArea
            {...labels}
            ref={note.ref as (input: { focus: () => void } | null) => void}
            autoSize={{ minRows: 2, maxRows: 6 }}
            value={values.note}
            onChange={({ target }) => change({ note: target.value })}
            onBlur={note.onBlur}
          />
        )}
      </Field>
      <p className={css.after}>{t('calibration.form.after')}</p>
    </>
  );
}
