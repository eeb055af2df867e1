import { useTranslation } from 'react-i18next';
import { TreeDrawer } from '@/ui/deviceTree/TreeDrawer';
import { Picker, type PickerProps } from './Picker';

interface PickerDrawerProps extends PickerProps {
  open: boolean;
  onClose: () => void;
  /** How many devices are shown now, in words. */
  summary: string;
}

/** The list of devices where there is no room beside the cards. What is ticked shows at once behind it. */
export function PickerDrawer({ open, onClose, summary, ...picker }: PickerDrawerProps) {
  const { t } = useTranslation();
  return (
    <TreeDrawer open={open} onClose={onClose} label={t('home.list.title')} shown={summary}>
      <Picker {...picker} />
    </TreeDrawer>
  );
}
