import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Device, TslProperty } from '@/lib/device/types';
import { useFormat } from '@/lib/format/format';
import { ownDecimals } from '@/lib/format/number';
import { useLanguage } from '@/lib/i18n/i18n';
import css from './CalibrationDialog.module.css';
import { correct } from './formula';
import { previewQuery } from './queries';
import { type CalibrationValues, lineOf, pointsError } from './rules';

interface PreviewProps {
  device: Device;
  values: CalibrationValues;
  /** Undefined until one is chosen. */
  property: TslProperty | undefined;
  /** The field says already why the points are refused. */
  said: boolean;
}

/** What the calibration makes of the newest number that the sensor showed, as the server will. */
export function Preview({ device, values, property, said }: PreviewProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const language = useLanguage((state) => state.language);
  const latest = useQuery(previewQuery(language, device.deviceName));
  const reading = latest.data?.[values.sign];
  const raw = reading?.raw ?? reading?.value;
  const line = lineOf(values);
  const wrong = pointsError(values);
  const unit = property?.elementUnit ?? '';

  const example = () => {
    if (!property || latest.isPending) return null;
    if (!reading || typeof raw !== 'number') return t('calibration.preview.noReading');
    const shown = format.reading({ value: raw, unit, precision: ownDecimals(raw, property.precision) });
    if (values.kind === 'none') return t('calibration.preview.stays', { raw: shown });
    if (!line || wrong) return t('calibration.preview.waiting', { raw: shown });
    const value = correct(line, raw, property);
    const right = format.reading({ value, unit, precision: property.precision });
    const applies = values.fromTime !== null && values.fromTime <= reading.time;
    return t(applies ? 'calibration.preview.becomes' : 'calibration.preview.willBecome', { raw: shown, value: right });
  };
  return (
    <output className={css.preview} aria-label={t('calibration.preview.title')}>
      <span className={css.previewTitle} aria-hidden="true">
        {t('calibration.preview.title')}
      </span>
      <span className={css.example}>{example()}</span>
      {values.kind === 'twoPoint' && line ? (
        <span className={css.gain}>{t('calibration.preview.gain', { gain: format.number(line.gain, 3) })}</span>
      ) : null}
      {wrong && !said ? <span className={css.wrong}>{t(wrong)}</span> : null}
    </output>
  );
}
