import { useTranslation } from 'react-i18next';
import { AllRow } from '../deviceTree/AllRow';
import { DevicePicker } from '../deviceTree/DevicePicker';
import { TreeColumn } from '../deviceTree/TreeColumn';

export interface PickerProps {
  chosen: ReadonlySet<string>;
  onToggle: (deviceName: string) => void;
  /** Clears the selection. */
  onAll: () => void;
}

interface DeviceColumnProps extends PickerProps {
  /** How many devices the tenant has; undefined until it is known. */
  count: number | undefined;
  /** The top bar is sticky: the column begins below it. */
  below: boolean;
}

/** The column of devices that filter a list. */
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
    <DevicePicker
      chosen={chosen}
      onToggle={({ deviceName }) => onToggle(deviceName)}
      all={
        <AllRow ticked={all} onTick={onAll}>
          {t('rule.filter.all')}
        </AllRow>
      }
    />
  );
}
