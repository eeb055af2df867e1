import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useLive } from '@/lib/live/live';
import { HomeLive } from './homeLive';

/** Keeps everything that the home page shows with what the server tells, so that nothing needs to be asked again and again. */
export function useHomeLive(): void {
  const client = useQueryClient();
  const [live] = useState(() => new HomeLive(client));
  useEffect(() => live.start(), [live]);
  useLive((events) => live.handle(events));
}
