import CloseOutlined from '@ant-design/icons/CloseOutlined';
import { Modal } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import css from './Dialog.module.css';
import frame from './dialogFrame.module.css';
import { dialogMotion } from './dialogMotion';

interface DialogProps {
  open: boolean;
  title: string;
  /** Called by the cross and, unless firm, by Escape and a click outside. */
  onClose: () => void;
  /** Neither Escape nor a click outside closes it, because its input would be lost. */
  firm?: boolean;
  /** In pixels, if the screen is wide enough. */
  width?: number;
  /** Called after the closing animation. */
  onClosed?: () => void;
  footer?: ReactNode;
  children: ReactNode;
}

/** A dialog with header and footer; on a phone it fills the screen, with its buttons at the bottom. */
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
      className={frame.dialog}
      classNames={{
        wrapper: frame.wrapper,
        container: `${frame.container} ${css.container}`,
        header: frame.head,
        title: `${frame.title} ${css.title}`,
        body: css.body,
        footer: css.foot,
        close: frame.close,
      }}
    >
      {children}
    </Modal>
  );
}
