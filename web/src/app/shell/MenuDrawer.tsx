import CloseOutlined from '@ant-design/icons/CloseOutlined';
import SearchOutlined from '@ant-design/icons/SearchOutlined';
import { Drawer } from 'antd';
import { useTranslation } from 'react-i18next';
import { IconButton } from '@/ui/IconButton';
import css from './MenuDrawer.module.css';
import { Sidebar } from './Sidebar';

interface MenuDrawerProps {
  open: boolean;
  onClose: () => void;
  /** A title needs the room that a button for the search would take in the bar. */
  onSearch: () => void;
}

/** The sidebar on a phone. */
export function MenuDrawer({ open, onClose, onSearch }: MenuDrawerProps) {
  const { t } = useTranslation();
  return (
    <Drawer
      open={open}
      onClose={onClose}
      placement="left"
      size={304}
      closable={false}
      aria-label={t('nav.label')}
      styles={{ body: { padding: 0 } }}
    >
      <div className={css.drawer}>
        <Sidebar onChoose={onClose} />
        <div className={css.buttons}>
          <IconButton
            label={t('search.open')}
            icon={<SearchOutlined />}
            aria-haspopup="dialog"
            onClick={() => {
              onClose();
              onSearch();
            }}
          />
          <IconButton label={t('shell.closeMenu')} icon={<CloseOutlined />} onClick={onClose} />
        </div>
      </div>
    </Drawer>
  );
}
