import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useBlocker, useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { knownDevices } from '@/lib/device/live/cache';
import { deviceQuery } from '@/lib/device/queries';
import { useLanguage } from '@/lib/i18n';
import { whenIdle } from '@/lib/idle';
import { toast } from '@/lib/notices';
import { hasNetwork } from '@/lib/offline/reach';
import { seemsWeak, useSaver } from '@/lib/saver';
import { prepareChart } from '@/ui/chart/Chart';
import { later } from '@/ui/later';

const dialog = () => import('./history/HistoryDialog');
const HistoryDialog = later(dialog, 'HistoryDialog');

/** Who looks at readings is likely to want their history: it is at hand by then, unless that is dear. */
function useAhead(): void {
  const saver = useSaver();
  useEffect(() => {
    if (saver) return;
    return whenIdle(() => {
      // What cannot be fetched now is fetched when it is wanted, and said then.
      if (hasNetwork() && !seemsWeak()) dialog().then(prepareChart, () => undefined);
    });
  }, [saver]);
}

/** The browser's own ways off an open history, which ask as the cross does. Meanwhile the address is that of the history again. */
function useWayOff(open: boolean) {
  const { history } = useRouter();
  const [way, setWay] = useState<'back' | 'forward' | null>(null);
  if (!open && way) setWay(null);
  useBlocker({
    shouldBlockFn: ({ action }) => {
      // The console's own links have been asked for, and to the sign-in page leads the end of a session.
      if (action === 'PUSH' || action === 'REPLACE') return false;
      setWay(action === 'FORWARD' ? 'forward' : 'back');
      return true;
    },
    // A new page of the browser's loses nothing that its address does not say.
    enableBeforeUnload: false,
    disabled: !open,
  });
  const follow = () => {
    setWay(null);
    history[way ?? 'back']({ ignoreBlocker: true });
  };
  return way ? { follow, stay: () => setWay(null) } : undefined;
}

/** The history that the address names, over the page; from whatever page somebody came. */
export function HistoryPlace() {
  useAhead();
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

  const wayOff = useWayOff(open);

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
