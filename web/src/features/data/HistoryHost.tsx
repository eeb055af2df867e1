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

/** Who looks at readings is likely to want their history: it is at hand by then, unless that is dear. */
function usePrefetchDialog(): void {
  const dataSaver = useDataSaver();
  useEffect(() => {
    if (dataSaver) return;
    return whenIdle(() => {
      // What cannot be fetched now is fetched when it is wanted, and said then.
      if (hasNetwork() && !isConnectionWeak()) importDialog().then(prepareChart, () => undefined);
    });
  }, [dataSaver]);
}

/** The browser's own ways off an open history, which ask as the cross does. Meanwhile the address is that of the history again. */
function useNavigationBlocker(open: boolean) {
  const { history } = useRouter();
  const [blockedDirection, setBlockedDirection] = useState<'back' | 'forward' | null>(null);
  if (!open && blockedDirection) setBlockedDirection(null);
  useBlocker({
    shouldBlockFn: ({ action }) => {
      // The console's own links have been asked for, and to the sign-in page leads the end of a session.
      if (action === 'PUSH' || action === 'REPLACE') return false;
      setBlockedDirection(action === 'FORWARD' ? 'forward' : 'back');
      return true;
    },
    // A new page of the browser's loses nothing that its address does not say.
    enableBeforeUnload: false,
    disabled: !open,
  });
  const follow = () => {
    setBlockedDirection(null);
    history[blockedDirection ?? 'back']({ ignoreBlocker: true });
  };
  return blockedDirection ? { follow, stay: () => setBlockedDirection(null) } : undefined;
}

/** The history that the address names, over the page; from whatever page somebody came. */
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

  const wayOff = useNavigationBlocker(open);

  // The address is older than the device's leaving, or from another farm; or nobody answers.
  const missing = open && data === null;
  const failed = open && error !== null && data === undefined;
  useEffect(() => {
    if (missing) toast.warning(t('home.missing.title'));
    if (missing || failed) close();
  }, [missing, failed, close, t]);

  // It goes with grace: what it shows stays until the next one.
  const [shown, setShown] = useState(data);
  // Nor does it begin anew with each reading that comes.
  if (open && data && data.deviceName !== shown?.deviceName) setShown(data);
  return shown ? (
    <HistoryDialog key={shown.deviceName} device={shown} open={open} onClose={close} wayOff={wayOff} />
  ) : null;
}
