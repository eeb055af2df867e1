import CloseOutlined from '@ant-design/icons/CloseOutlined';
import { Button, Drawer } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '../IconButton';
import css from './TreeDrawer.module.css';

interface TreeDrawerProps {
  open: boolean;
  onClose: () => void;
  /** Spoken. */
  label: string;
  /** On the button that closes it: what is shown then. */
  shown: string;
  children: ReactNode;
}

/** The list of devices on a phone. What is ticked shows at once behind it. */
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
