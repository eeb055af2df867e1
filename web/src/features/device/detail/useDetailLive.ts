import { useQueryClient } from '@tanstack/react-query';
import { useLive } from '@/lib/live/live';
import { detailKey } from '../queries';

/** Keeps the record of comings and goings current, and asks for everything anew when something may have been missed. */
export function useDetailLive(deviceName: string): void {
  const client = useQueryClient();
  useLive((events) => {
    if (events.some(({ name }) => name === 'reset')) void client.invalidateQueries({ queryKey: detailKey });
    const moved = events.some((event) => event.name === 'presence' && event.data.deviceName === deviceName);
    if (moved) void client.invalidateQueries({ queryKey: [...detailKey, 'presence', deviceName] });
  });
}
