import CloseOutlined from '@ant-design/icons/CloseOutlined';
import DownloadOutlined from '@ant-design/icons/DownloadOutlined';
import LoadingOutlined from '@ant-design/icons/LoadingOutlined';
import { Button } from 'antd';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { type Format, useFormat } from '@/lib/format/format';
import { useOffline } from '@/lib/offline/reachability';
import css from './ExportButton.module.css';
import type { ExportProgress } from './useExport';

interface ExportButtonProps {
  exporting: ExportProgress | null;
  disabled: boolean;
  onStart: () => void;
  onCancel: () => void;
}

function progressText({ received, total }: ExportProgress, format: Format, t: TFunction): string {
  if (total) return format.percent(Math.min(1, received / total));
  return t('history.megabytes', { n: format.number(received / 1e6, 1) });
}

/** Starts the export; while it runs, shows its progress and can stop it. */
export function ExportButton({ exporting, disabled, onStart, onCancel }: ExportButtonProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const offline = useOffline();
  if (!exporting) {
    return (
      <Button
        className={css.button}
        icon={<DownloadOutlined aria-hidden="true" />}
        disabled={disabled || offline}
        onClick={onStart}
      >
        {t(offline ? 'offline.needs' : 'history.export')}
      </Button>
    );
  }
  return (
    <span className={css.running}>
      <span className={css.progress}>
        <LoadingOutlined aria-hidden="true" /> <span role="status">{t('history.exporting')}</span>{' '}
        <span aria-hidden="true">{progressText(exporting, format, t)}</span>
      </span>
      <Button icon={<CloseOutlined aria-hidden="true" />} onClick={onCancel}>
        {t('history.exportCancel')}
      </Button>
    </span>
  );
}
