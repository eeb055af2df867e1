import CloseOutlined from '@ant-design/icons/CloseOutlined';
import { Modal } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import css from './Dialog.module.css';
import { dialogMotion } from './dialogMotion';

interface DialogProps {
  open: boolean;
  title: string;
  /** The cross, and unless firm also Escape and a click beside it. */
  onClose: () => void;
  /** Neither Escape nor a click beside it closes: what it holds would be lost. */
  firm?: boolean;
  /** In pixels, where the screen has them. */
  width?: number;
  /** After it has gone from the screen. */
  onClosed?: () => void;
  footer?: ReactNode;
  children: ReactNode;
}

/** A dialog with head and foot; on a phone it fills the screen and its buttons stand at the bottom. */
export function Dialog({ open, title, onClose, firm = false, width = 480, onClosed, footer, children }: DialogProps) {
  const { t } = useTranslation();
  const isPhone = useMediaQuery(phoneQuery);
  return (
    <Modal
      {...dialogMotion}
      open={open}
      title={title}
      onCancel={onClose}
      afterClose={onClosed}
      keyboard={!firm}
      mask={{ enabled: true, closable: !firm, blur: false }}
      closable={{ 'aria-label': t('common.close'), closeIcon: <CloseOutlined aria-hidden="true" /> }}
      centered
      destroyOnHidden
      width={isPhone ? '100vw' : width}
      footer={footer ?? null}
      className={css.dialog}
      classNames={{
        wrapper: css.wrapper,
        container: css.container,
        header: css.head,
        title: css.title,
        body: css.body,
        footer: css.foot,
        close: css.close,
      }}
    >
      {children}
    </Modal>
  );
}
