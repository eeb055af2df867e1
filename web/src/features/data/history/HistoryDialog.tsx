import CloseOutlined from '@ant-design/icons/CloseOutlined';
import { Button, Modal } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import frame from '@/ui/dialogFrame.module.css';
import { dialogMotion } from '@/ui/dialogMotion';
import type { HistoryDevice } from './device';
import { HistoryBody } from './HistoryBody';
import css from './HistoryDialog.module.css';

interface HistoryDialogProps {
  device: HistoryDevice;
  open: boolean;
  /** Called after the user has confirmed. */
  onClose: () => void;
  /**
   * Set while the browser's Back or Forward button is blocked; the dialog then asks for
   * confirmation.
   */
  blockedNavigation?: { follow: () => void; stay: () => void };
}

/**
 * The readings of a device: chart, table and export of a range. On a phone the dialog fills the
 * screen.
 */
export function HistoryDialog({ device, open, onClose, blockedNavigation }: HistoryDialogProps) {
  const { t } = useTranslation();
  const isPhone = useMediaQuery(phoneQuery);
  const [confirmingClose, setConfirmingClose] = useState(false);
  if (!open && confirmingClose) setConfirmingClose(false);
  const name = device.noteName || device.deviceName;
  const side = [device.deviceName, device.productName].filter((part) => part && part !== name).join(' · ');
  return (
    <>
      <Modal
        {...dialogMotion}
        open={open}
        title={
          <span className={css.titleRow}>
            <span className={css.name} title={name}>
              {t('history.title', { name })}
            </span>{' '}
            {isPhone ? null : <span className={css.side}>{side}</span>}
          </span>
        }
        onCancel={() => setConfirmingClose(true)}
        mask={{ enabled: true, closable: true, blur: false }}
        closable={{ 'aria-label': t('common.close'), closeIcon: <CloseOutlined aria-hidden="true" /> }}
        centered
        destroyOnHidden
        width={isPhone ? '100vw' : 1200}
        footer={null}
        className={`${frame.dialog} ${css.dialog}`}
        classNames={{
          wrapper: frame.wrapper,
          container: `${frame.container} ${css.container}`,
          header: frame.head,
          title: frame.title,
          body: css.body,
          close: frame.close,
        }}
      >
        <HistoryBody key={device.deviceName} device={device} />
      </Modal>
      <CloseConfirm
        open={open && (confirmingClose || blockedNavigation !== undefined)}
        onStay={() => {
          setConfirmingClose(false);
          blockedNavigation?.stay();
        }}
        onClose={() => {
          setConfirmingClose(false);
          (blockedNavigation?.follow ?? onClose)();
        }}
      />
    </>
  );
}

interface CloseConfirmProps {
  open: boolean;
  onStay: () => void;
  onClose: () => void;
}

function CloseConfirm({ open, onStay, onClose }: CloseConfirmProps) {
  const { t } = useTranslation();
  return (
    <Modal
      {...dialogMotion}
      open={open}
      title={t('history.closeConfirm')}
      onCancel={onStay}
      closable={false}
      mask={{ enabled: true, closable: true, blur: false }}
      centered
      destroyOnHidden
      width={400}
      classNames={{ container: css.ask }}
      footer={
        <>
          <Button onClick={onStay} autoFocus>
            {t('common.cancel')}
          </Button>
          <Button type="primary" onClick={onClose}>
            {t('history.closeVerb')}
          </Button>
        </>
      }
    >
      <p className={css.askText}>{t('history.closeText')}</p>
    </Modal>
  );
}
