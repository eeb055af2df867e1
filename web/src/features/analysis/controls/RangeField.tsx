import LeftOutlined from '@ant-design/icons/LeftOutlined';
import ReloadOutlined from '@ant-design/icons/ReloadOutlined';
import RightOutlined from '@ant-design/icons/RightOutlined';
import ZoomInOutlined from '@ant-design/icons/ZoomInOutlined';
import ZoomOutOutlined from '@ant-design/icons/ZoomOutOutlined';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { type Preset, presets } from '@/lib/analysis/presets';
import { formatFullMonth } from '@/lib/format/date';
import { useFormat } from '@/lib/format/format';
import { IconButton } from '@/ui/IconButton';
import { Select } from '@/ui/Select';
import type { Span } from '../data/line';
import css from './controls.module.css';

interface RangeFieldProps {
  /** Null: the range is of two chosen times. */
  preset: Preset | null;
  /** The whole month that was chosen; null: none. */
  month: Span | null;
  /** The months that can be chosen by name. */
  months: readonly Span[];
  onMonth: (month: Span) => void;
  onPreset: (preset: Preset) => void;
  /** Moves the range by a share of its length. */
  onMove: (share: number) => void;
  onZoom: (factor: number) => void;
  onRefresh: () => void;
}

/** A range up to now, and buttons to move it and to change its length. */
export function RangeField({ preset, month, months, onPreset, onMonth, onMove, onZoom, onRefresh }: RangeFieldProps) {
  const { t } = useTranslation();
  const id = useId();
  const format = useFormat();
  // One that was reached by moving may be older than those that are offered.
  const listed = month && !months.some(({ from }) => from === month.from) ? [...months, month] : months;
  return (
    <div className={css.range}>
      <label className={css.label} htmlFor={id}>
        {t('analysis.range.label')}
      </label>
      <Select
        id={id}
        value={preset ?? month?.from ?? ''}
        onChange={({ target: { value } }) => {
          const chosen = months.find(({ from }) => String(from) === value);
          if (chosen) onMonth(chosen);
          else onPreset(value as Preset);
        }}
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
        <optgroup label={t('analysis.range.months')}>
          {listed.map(({ from }) => (
            <option key={from} value={from}>
              {format.capital(formatFullMonth(from, format.language))}
            </option>
          ))}
        </optgroup>
      </Select>
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
