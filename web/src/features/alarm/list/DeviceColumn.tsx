import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import { DevicePicker } from '@/ui/deviceTree/DevicePicker';
import { TickMark } from '@/ui/deviceTree/TickMark';
import css from './DeviceColumn.module.css';

export interface PickerProps {
  chosen: ReadonlySet<string>;
  onToggle: (deviceName: string) => void;
  /** Lets go of every choice. */
  onAll: () => void;
}

interface DeviceColumnProps extends PickerProps {
  /** How many devices the farm has; undefined until it is known. */
  count: number | undefined;
  /** The top bar stays in sight: the column stands below it. */
  below: boolean;
}

/** Beside the cards: the devices to narrow them to. */
export function DeviceColumn({ count, below, ...picker }: DeviceColumnProps) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <section className={`${css.column} ${below ? css.below : ''}`} aria-label={t('home.list.title')}>
      <header className={css.head}>
        <h2 className={css.title}>{t('home.list.title')}</h2>
        {count === undefined ? null : <span className={css.count}>{format.number(count)}</span>}
      </header>
      <FilterPicker {...picker} />
    </section>
  );
}

export function FilterPicker({ chosen, onToggle, onAll }: PickerProps) {
  const { t } = useTranslation();
  const all = chosen.size === 0;
  return (
    <>
      <button type="button" className={css.all} aria-pressed={all} onClick={onAll}>
        <TickMark ticked={all} />
        {t('rule.filter.all')}
      </button>
      <DevicePicker chosen={chosen} onToggle={({ deviceName }) => onToggle(deviceName)} />
    </>
  );
}
