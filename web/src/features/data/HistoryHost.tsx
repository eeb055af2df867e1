import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useBlocker, useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { whenIdle } from '@/lib/async/whenIdle';
import { knownDevices } from '@/lib/device/live/applyToCache';
import { deviceQuery } from '@/lib/device/queries';
import { toast } from '@/lib/feedback/feedback';
import { useLanguage } from '@/lib/i18n/i18n';
import { hasNetwork } from '@/lib/offline/reachability';
import { isConnectionWeak, useDataSaver } from '@/lib/storage/dataSaver';
import { prepareChart } from '@/ui/chart/Chart';
import { lazyComponent } from '@/ui/lazyComponent';

const importDialog = () => import('./history/HistoryDialog');
const HistoryDialog = lazyComponent(importDialog, 'HistoryDialog');

/**
 * Fetches the history dialog ahead, since a user who looks at readings is likely to open it.
 * Skipped with the data saver or on a weak connection.
 */
function usePrefetchDialog(): void {
  const dataSaver = useDataSaver();
  useEffect(() => {
    if (dataSaver) return;
    return whenIdle(() => {
      // If this fails, the dialog is fetched again when the user opens it, and the failure is shown
      // then.
      if (hasNetwork() && !isConnectionWeak()) importDialog().then(prepareChart, () => undefined);
    });
  }, [dataSaver]);
}

/**
 * Blocks the browser's Back and Forward buttons while a history is open, so that they ask for
 * confirmation like the close button does. Meanwhile the address is again that of the history.
 */
function useNavigationBlocker(open: boolean) {
  const { history } = useRouter();
  const [blockedDirection, setBlockedDirection] = useState<'back' | 'forward' | null>(null);
  if (!open && blockedDirection) setBlockedDirection(null);
  useBlocker({
    shouldBlockFn: ({ action }) => {
      // The console's own links have already asked; the end of a session must lead to the sign-in
      // page.
      if (action === 'PUSH' || action === 'REPLACE') return false;
      setBlockedDirection(action === 'FORWARD' ? 'forward' : 'back');
      return true;
    },
    // A reload loses nothing that the address does not contain.
    enableBeforeUnload: false,
    disabled: !open,
  });
  const follow = () => {
    setBlockedDirection(null);
    history[blockedDirection ?? 'back']({ ignoreBlocker: true });
  };
  return blockedDirection ? { follow, stay: () => setBlockedDirection(null) } : undefined;
}

/** The history that the address names, shown over the page. */
export function HistoryHost() {
  usePrefetchDialog();
  const { t } = useTranslation();
  const client = useQueryClient();
  const navigate = useNavigate({ from: '/data' });
  const language = useLanguage((state) => state.language);
  const { device: name, history } = useSearch({ from: '/signed-in/shell/data' });
  const open = name !== undefined && history === 1;

  const { data, error } = useQuery({
    ...deviceQuery(language, name ?? ''),
    enabled: open,
    placeholderData: () => knownDevices(client).get(name ?? ''),
    meta: { failure: 'history.failed' },
  });
  const close = useCallback(
    () =>
      void navigate({
        to: '.',
        search: ({ device: _, history: __, ...rest }) => rest,
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );

  const blockedNavigation = useNavigationBlocker(open);

  // The device is gone since the address was made, belongs to another tenant, or could not be
  // fetched.
  const missing = open && data === null;
  const failed = open && error !== null && data === undefined;
  useEffect(() => {
    if (missing) toast.warning(t('home.missing.title'));
    if (missing || failed) close();
  }, [missing, failed, close, t]);

  // Keeps the last device, so that the dialog shows it while it closes.
  const [shown, setShown] = useState(data);
  // A new reading of the same device does not restart the dialog.
  if (open && data && data.deviceName !== shown?.deviceName) setShown(data);
  return shown ? (
    <HistoryDialog
      key={shown.deviceName}
      device={shown}
      open={open}
      onClose={close}
      blockedNavigation={blockedNavigation}
    />
  ) : null;
}
