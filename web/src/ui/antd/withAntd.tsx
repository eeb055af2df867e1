import type { ComponentType } from 'react';
import { loadTexts } from '@/lib/i18n/i18n';

/**
 * Fetches a part of the console that uses antd, antd and all texts with it, and gives the part with
 * the theme and language around it. What a first page shows does without antd, which is a third of
 * its code.
 */
export async function withAntd<Name extends string, Props extends object>(
  code: () => Promise<Record<Name, ComponentType<Props>>>,
  name: Name,
): Promise<Record<Name, ComponentType<Props>>> {
  const [module, { AntdProvider }] = await Promise.all([code(), import('./AntdProvider'), loadTexts('rest')]);
  const Part: ComponentType<Props> = module[name];
  // biome-ignore lint/correctness/noComponentHookFactories: one for each part, created once when it is fetched
  const WithAntd = (props: Props) => (
    <AntdProvider>
      <Part {...props} />
    </AntdProvider>
  );
  return { [name]: WithAntd } as Record<Name, ComponentType<Props>>;
}
