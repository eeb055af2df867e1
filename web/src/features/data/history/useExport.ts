import { useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '@/lib/feedback/feedback';
import { download, saveFile } from '@/lib/http/download';
import { showError } from '@/lib/http/errorText';
import type { Span } from './range';

export const fileName = 'device_data.xlsx';
const path = '/admin-api/client/pc/device/export-device-data-excel';

export interface ExportProgress {
  received: number;
  /** Undefined if the server streams and does not know the length. */
  total: number | undefined;
}

interface ExportRequest extends Span {
  deviceName: string;
  ids: readonly string[];
  /** The name of the saved file. */
  file: string;
}

/** The file of the comparison; it is separate, since one call covers one device and one range. */
export const comparisonFileName = (what: string) => fileName.replace('.', `_${what}.`);

/**
 * One export at a time, with a file for each compared device or period. Leaving the dialog aborts
 * it, and the user can abort it.
 */
export function useExport() {
  const { t } = useTranslation();
  const [exporting, setExporting] = useState<ExportProgress | null>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  const start = useCallback(
    async (wishes: readonly ExportRequest[]) => {
      if (running.current) return;
      const controller = new AbortController();
      running.current = controller;
      try {
        for (const { deviceName, ids, from, to, file } of wishes) {
          setExporting({ received: 0, total: undefined });
          const content = await download({
            path,
            query: { deviceName, startTime: from, endTime: to, yeuSignList: ids },
            onProgress: (received, total) => {
              if (running.current === controller) setExporting({ received, total });
            },
            signal: controller.signal,
          });
          saveFile(content, file);
          toast.success(t('history.exportOk', { file }));
        }
      } catch (error) {
        // A user who stopped the export needs no message.
        if (!controller.signal.aborted) showError(error, { failure: 'history.exportFail' });
      } finally {
        if (running.current === controller) {
          running.current = null;
          setExporting(null);
        }
      }
    },
    [t],
  );

  const cancel = useCallback(() => {
    running.current?.abort();
    running.current = null;
    setExporting(null);
  }, []);

  return { exporting, start, cancel };
}
