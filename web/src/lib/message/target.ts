import { linkOptions } from '@tanstack/react-router';
import type { Message } from './queries';

/** Where a message leads: to its alarm, or to itself if it has none that is still stored. */
export function messageTarget({ id, noticeId }: Pick<Message, 'id' | 'noticeId'>) {
  return noticeId === undefined
    ? linkOptions({ to: '/message', search: { id } })
    : linkOptions({ to: '/inform', search: { id: noticeId } });
}
