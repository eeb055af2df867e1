import CloseOutlined from '@ant-design/icons/CloseOutlined';
import { Button, Drawer } from 'antd';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import { IconButton } from '../IconButton';
import { FilterPicker, type PickerProps } from './DeviceColumn';
import css from './DeviceDrawer.module.css';

interface DeviceDrawerProps extends PickerProps {
  open: boolean;
  /** On the button that closes while nothing is chosen: that all is shown. */
  showAll: string;
  onClose: () => void;
}

/** The list of devices on a phone. What is ticked narrows the list behind it at once. */
export function DeviceDrawer({ open, showAll, onClose, ...picker }: DeviceDrawerProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const count = picker.chosen.size;
  return (
    <Drawer
      open={open}
      onClose={onClose}
      placement="right"
      size="100vw"
      closable={false}
      aria-label={t('rule.filter.devices')}
      classNames={{ body: css.body }}
      styles={{ body: { padding: 0 }, footer: { padding: '10px 12px' } }}
      footer={
        <Button type="primary" block onClick={onClose}>
          {count === 0 ? showAll : t('rule.filter.chosen', { count, n: format.number(count) })}
        </Button>
      }
    >
      <div className={css.head}>
        <h2 className={css.title}>{t('home.list.title')}</h2>
        <IconButton label={t('common.close')} icon={<CloseOutlined />} onClick={onClose} />
      </div>
      <FilterPicker {...picker} />
    </Drawer>
  );
}
