import { useTranslation } from 'react-i18next';
import { TreeDrawer } from '@/ui/deviceTree/TreeDrawer';
import { Picker, type PickerProps } from './Picker';

interface PickerDrawerProps extends PickerProps {
  open: boolean;
  onClose: () => void;
  /** A text that says how many devices are shown. */
  summary: string;
}

/**
 * The list of devices in a drawer, where there is no room beside the cards. A tick takes effect at
 * once.
 */
export function PickerDrawer({ open, onClose, summary, ...picker }: PickerDrawerProps) {
  const { t } = useTranslation();
  return (
    <TreeDrawer open={open} onClose={onClose} label={t('home.list.title')} shown={summary}>
      <Picker {...picker} />
    </TreeDrawer>
  );
}
