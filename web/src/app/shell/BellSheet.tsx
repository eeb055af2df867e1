import CloseOutlined from '@ant-design/icons/CloseOutlined';
import { Drawer } from 'antd';
import { useTranslation } from 'react-i18next';
import { IconButton } from '@/ui/IconButton';
import { BellList } from './BellList';
import css from './BellSheet.module.css';

interface BellSheetProps {
  open: boolean;
  onClose: () => void;
}

/** The newest messages on a phone: a sheet as wide as the screen, from its top. */
export function BellSheet({ open, onClose }: BellSheetProps) {
  const { t } = useTranslation();
  return (
    <Drawer
      open={open}
      onClose={onClose}
      placement="top"
      size="auto"
      closable={false}
      aria-label={t('message.recent')}
      styles={{ body: { padding: 0 } }}
    >
      <div className={css.head}>
        <h2 className={css.title}>{t('message.recent')}</h2>
        <IconButton label={t('common.close')} icon={<CloseOutlined aria-hidden="true" />} onClick={onClose} />
      </div>
      <BellList onClose={onClose} />
    </Drawer>
  );
}
