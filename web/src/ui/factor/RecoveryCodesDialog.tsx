import DownloadOutlined from '@ant-design/icons/DownloadOutlined';
import { Button } from 'antd';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { saveFile } from '@/lib/http/download';
import { CopyButton } from '../CopyButton';
import { SecretDialog } from '../SecretDialog';
import css from './RecoveryCodesDialog.module.css';

interface RecoveryCodesDialogProps {
  /** Null closes the dialog. */
  codes: readonly string[] | null;
  /** The user confirms to have stored them. */
  onStored: () => void;
  /** Called after the closing animation. */
  onClosed: () => void;
}

/** Shows new recovery codes once. */
export function RecoveryCodesDialog({ codes, onStored, onClosed }: RecoveryCodesDialogProps) {
  const { t } = useTranslation();
  const list = useRef<HTMLElement>(null);
  // Stay while the dialog closes.
  const [shown, setShown] = useState(codes);
  if (codes !== null && codes !== shown) setShown(codes);
  const text = shown?.join('\n') ?? '';
  const save = () => saveFile(new Blob([`${text}\n`], { type: 'text/plain' }), t('factor.codes.file'));
  return (
    <SecretDialog
      open={codes !== null}
      title={t('factor.codes.title')}
      ready={t('factor.codes.ready')}
      parts={[]}
      more={
        <>
          <code ref={list} className={css.codes} translate="no">
            {text}
          </code>
          <div className={css.buttons}>
            <CopyButton textRef={list} label={t('factor.codes.copy')} main />
            <Button icon={<DownloadOutlined aria-hidden="true" />} onClick={save}>
              {t('factor.codes.download')}
            </Button>
          </div>
        </>
      }
      warning={t('factor.codes.warn')}
      confirmation={{ stored: t('factor.codes.stored'), storeFirst: t('factor.codes.storeFirst') }}
      onStored={onStored}
      onClosed={() => {
        setShown(null);
        onClosed();
      }}
    />
  );
}
