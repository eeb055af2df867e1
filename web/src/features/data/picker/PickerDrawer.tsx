import CloseOutlined from '@ant-design/icons/CloseOutlined';
import { Button, Drawer } from 'antd';
import { useTranslation } from 'react-i18next';
import { IconButton } from '@/ui/IconButton';
import { Picker, type PickerProps } from './Picker';
import css from './PickerDrawer.module.css';

interface PickerDrawerProps extends PickerProps {
  open: boolean;
  onClose: () => void;
  /** How many devices are shown now, in words. */
  summary: string;
}

/** The list of devices on a phone. What is ticked shows at once behind it. */
export function PickerDrawer({ open, onClose, summary, ...picker }: PickerDrawerProps) {
  const { t } = useTranslation();
  return (
    <Drawer
      open={open}
      onClose={onClose}
      placement="right"
      size="100vw"
      closable={false}
      aria-label={t('home.list.title')}
      classNames={{ body: css.body }}
      styles={{ body: { padding: 0 }, footer: { padding: '10px 12px' } }}
      footer={
        <Button type="primary" block onClick={onClose}>
          {summary}
        </Button>
      }
    >
      <div className={css.head}>
        <h2 className={css.title}>{t('home.list.title')}</h2>
        <IconButton label={t('common.close')} icon={<CloseOutlined />} onClick={onClose} />
      </div>
      <Picker {...picker} />
    </Drawer>
  );
}
