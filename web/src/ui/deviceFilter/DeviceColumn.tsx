import { useTranslation } from 'react-i18next';
import { AllRow } from '../deviceTree/AllRow';
import { DevicePicker } from '../deviceTree/DevicePicker';
import { TreeColumn } from '../deviceTree/TreeColumn';
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

/** Beside a list: the devices to narrow it to. */
export function DeviceColumn({ count, below, ...picker }: DeviceColumnProps) {
  return (
    <TreeColumn count={count} below={below}>
      <FilterPicker {...picker} />
    </TreeColumn>
  );
}

export function FilterPicker({ chosen, onToggle, onAll }: PickerProps) {
  const { t } = useTranslation();
  const all = chosen.size === 0;
  return (
    <>
      <div className={css.all}>
        <AllRow ticked={all} onTick={onAll}>
          {t('rule.filter.all')}
        </AllRow>
      </div>
      <DevicePicker chosen={chosen} onToggle={({ deviceName }) => onToggle(deviceName)} />
    </>
  );
}
