import { lazyComponent } from '@/ui/lazyComponent';

const Page = lazyComponent(() => import('./NotFoundPage'), 'NotFoundPage');

/** Few ever see this page: its code is no part of the first pages'. */
export function NotFound() {
  return <Page />;
}
