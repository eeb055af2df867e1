import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useLive } from '@/lib/live/useLive';
import { DeviceLive } from './deviceLive';

/** Keeps everything that a page shows of devices with what the server tells, so that nothing needs to be asked again and again. */
export function useDeviceLive(): void {
  const client = useQueryClient();
  const [live] = useState(() => new DeviceLive(client));
  useEffect(() => live.start(), [live]);
  useLive((events) => live.handle(events));
}
