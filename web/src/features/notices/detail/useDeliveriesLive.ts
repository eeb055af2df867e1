import { useQueryClient } from '@tanstack/react-query';
import { noticeKeys } from '@/lib/alarm/notices';
import { useLive } from '@/lib/live/useLive';

function noticeOf(data: unknown): number | undefined {
  const { noticeId } = (typeof data === 'object' && data !== null ? data : {}) as { noticeId?: unknown };
  return typeof noticeId === 'number' ? noticeId : undefined;
}

/**
 * Keeps a notice's deliveries current: refetches when the stream reports a message or a delivery of
 * it. An answer that is on its way may predate the event, so it is given up.
 */
export function useDeliveriesLive(notice: number): void {
  const client = useQueryClient();
  useLive((events) => {
    const concernsNotice = events.some(
      (event) => (event.name === 'message' || event.name === 'delivery') && noticeOf(event.data) === notice,
    );
    if (!concernsNotice) return;
    const queryKey = [...noticeKeys.kind('notice'), notice];
    void client.cancelQueries({ queryKey }).then(() => client.invalidateQueries({ queryKey }));
  });
}
