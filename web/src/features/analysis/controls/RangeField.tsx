import LeftOutlined from '@ant-design/icons/LeftOutlined';
import ReloadOutlined from '@ant-design/icons/ReloadOutlined';
import RightOutlined from '@ant-design/icons/RightOutlined';
import ZoomInOutlined from '@ant-design/icons/ZoomInOutlined';
import ZoomOutOutlined from '@ant-design/icons/ZoomOutOutlined';
import type { Dayjs } from 'dayjs';
import { useId, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { now } from '@/lib/format/clock';
import { useLanguage } from '@/lib/i18n/i18n';
import { descriptors } from '@/lib/i18n/languages';
import { DatePicker, pickedTime, pickerDate } from '@/ui/form/DatePicker';
import { IconButton } from '@/ui/IconButton';
import { Select } from '@/ui/Select';
import type { Span } from '../data/line';
import { type Preset, presets } from '../search';
import css from './controls.module.css';

interface RangeFieldProps {
  /** The shown range; a preset ends now. */
  span: Span;
  preset: Preset | null;
  onPreset: (preset: Preset) => void;
  onSpan: (span: Span) => void;
  /** Moves the range by a share of its length. */
  onMove: (share: number) => void;
  onZoom: (factor: number) => void;
  onRefresh: () => void;
}

/** The range: a preset up to now, or two times, and buttons to move it and to change its length. */
export function RangeField({ span, preset, onPreset, onSpan, onMove, onZoom, onRefresh }: RangeFieldProps) {
  const { t } = useTranslation();
  const language = useLanguage((state) => state.language);
  const id = useId();
  const { from, to } = span;
  // The picker takes new date objects for a new value and forgets what was typed.
  const value = useMemo<[Dayjs, Dayjs]>(() => [pickerDate(from), pickerDate(to)], [from, to]);
  const take = (dates: readonly (Dayjs | null)[] | null) => {
    const [start, end] = [dates?.[0], dates?.[1]];
    if (!start || !end) return;
    const chosen = { from: pickedTime(start), to: Math.min(pickedTime(end), Math.ceil(now())) };
    if (chosen.from < chosen.to) onSpan(chosen);
  };
  return (
    <div className={css.range}>
      <label className={css.label} htmlFor={`${id}-preset`}>
        {t('analysis.range.label')}
      </label>
      <Select
        id={`${id}-preset`}
        value={preset ?? ''}
        onChange={(event) => onPreset(event.target.value as Preset)}
        className={css.preset}
      >
        <option value="" disabled hidden>
          {t('analysis.range.custom')}
        </option>
        {presets.map((name) => (
          <option key={name} value={name}>
            {t(`analysis.range.${name}`)}
          </option>
        ))}
      </Select>
      <div className={css.pickers}>
        <label className="visually-hidden" htmlFor={`${id}-from`}>
          {t('history.from')}
        </label>
        <label className="visually-hidden" htmlFor={`${id}-to`}>
          {t('history.to')}
        </label>
        <DatePicker.RangePicker
          id={{ start: `${id}-from`, end: `${id}-to` }}
          className={css.picker}
          value={value}
          onChange={take}
          showTime={{ format: 'HH:mm' }}
          format={`${descriptors[language].picker} HH:mm`}
          allowClear={false}
          disabledDate={(day) => pickedTime(day.startOf('day')) > now()}
        />
      </div>
      <div className={css.moves}>
        <IconButton label={t('analysis.range.earlier')} icon={<LeftOutlined />} onClick={() => onMove(-0.5)} />
        <IconButton label={t('analysis.range.later')} icon={<RightOutlined />} onClick={() => onMove(0.5)} />
        <IconButton label={t('analysis.range.shorter')} icon={<ZoomInOutlined />} onClick={() => onZoom(0.5)} />
        <IconButton label={t('analysis.range.longer')} icon={<ZoomOutOutlined />} onClick={() => onZoom(2)} />
        <IconButton label={t('analysis.range.refresh')} icon={<ReloadOutlined />} onClick={onRefresh} />
      </div>
    </div>
  );
}
