import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import { TreeDrawer } from '../deviceTree/TreeDrawer';
import { FilterPicker, type PickerProps } from './DeviceColumn';

interface DeviceDrawerProps extends PickerProps {
  open: boolean;
  /** The close button's text while nothing is chosen: everything is shown. */
  showAll: string;
  onClose: () => void;
}

/**
 * The device filter as a drawer, for pages with no room beside them. Ticking a device filters the
 * page behind the drawer at once.
 */
export function DeviceDrawer({ open, showAll, onClose, ...picker }: DeviceDrawerProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const count = picker.chosen.size;
  return (
    <TreeDrawer
      open={open}
      onClose={onClose}
      label={t('rule.filter.devices')}
      shown={count === 0 ? showAll : t('rule.filter.chosen', { count, n: format.number(count) })}
    >
      <FilterPicker {...picker} />
    </TreeDrawer>
  );
}
