import CloseOutlined from '@ant-design/icons/CloseOutlined';
import { Button, Drawer } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '../IconButton';
import css from './TreeDrawer.module.css';

interface TreeDrawerProps {
  open: boolean;
  onClose: () => void;
  /** For screen readers. */
  label: string;
  /** The close button's text: what is shown then. */
  shown: string;
  children: ReactNode;
}

/** The list of devices on a phone. Ticking takes effect behind it at once. */
export function TreeDrawer({ open, onClose, label, shown, children }: TreeDrawerProps) {
  const { t } = useTranslation();
  return (
    <Drawer
      open={open}
      onClose={onClose}
      placement="right"
      size="100vw"
      closable={false}
      aria-label={label}
      classNames={{ body: css.body }}
      styles={{ body: { padding: 0 }, footer: { padding: '10px 12px' } }}
      footer={
        <Button type="primary" block onClick={onClose}>
          {shown}
        </Button>
      }
    >
      <div className={css.head}>
        <h2 className={css.title}>{t('home.list.title')}</h2>
        <IconButton label={t('common.close')} icon={<CloseOutlined />} onClick={onClose} />
      </div>
      {children}
    </Drawer>
  );
}
