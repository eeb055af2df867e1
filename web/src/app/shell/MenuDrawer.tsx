import CloseOutlined from '@ant-design/icons/CloseOutlined';
import { Drawer } from 'antd';
import { useTranslation } from 'react-i18next';
import { IconButton } from '@/ui/IconButton';
import css from './MenuDrawer.module.css';
import { Sidebar } from './Sidebar';

interface MenuDrawerProps {
  open: boolean;
  onClose: () => void;
}

/** The sidebar on a phone. */
export function MenuDrawer({ open, onClose }: MenuDrawerProps) {
  const { t } = useTranslation();
  return (
    <Drawer
      open={open}
      onClose={onClose}
      placement="right"
      size={304}
      closable={false}
      aria-label={t('nav.label')}
      styles={{ body: { padding: 0 } }}
    >
      <div className={css.drawer}>
        <Sidebar onChoose={onClose} />
        <div className={css.close}>
          <IconButton label={t('shell.closeMenu')} icon={<CloseOutlined />} onClick={onClose} />
        </div>
      </div>
    </Drawer>
  );
}
