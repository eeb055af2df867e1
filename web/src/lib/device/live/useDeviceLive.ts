import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useLive } from '@/lib/live/useLive';
import { DeviceLive } from './deviceLive';

/** Updates all device data of a page from live events, so that nothing polls. */
export function useDeviceLive(): void {
  const client = useQueryClient();
  const [live] = useState(() => new DeviceLive(client));
  useEffect(() => live.start(), [live]);
  useLive((events) => live.handle(events));
}
