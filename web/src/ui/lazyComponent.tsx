import { type ComponentType, useEffect, useState } from 'react';

/**
 * A component whose code is fetched when it is first drawn; until it is there, nothing is. Code that does not come is thrown,
 * and fetched anew when the component is mounted anew.
 *
 * React's own lazy does the same within a Suspense, but React keeps whatever a Suspense showed meanwhile, be it nothing, for at
 * least 300 ms.
 */
export function lazyComponent<Name extends string, Props extends object>(
  code: () => Promise<Record<Name, ComponentType<Props>>>,
  name: Name,
): ComponentType<Props> {
  let loadedComponent: ComponentType<Props> | undefined;
  let loading: Promise<void> | undefined;
  const load = () => {
    loading ??= code()
      .then((module) => {
        loadedComponent = module[name];
      })
      .finally(() => {
        loading = undefined;
      });
    return loading;
  };

  // biome-ignore lint/correctness/noComponentHookFactories: one for each part, made once where its module is
  return function Later(props: Props) {
    const [Part, setPart] = useState(() => loadedComponent);
    const [failure, setFailure] = useState<{ error: unknown }>();
    const wanted = Part === undefined;
    useEffect(() => {
      if (!wanted) return;
      let left = false;
      load().then(
        () => {
          if (!left) setPart(() => loadedComponent);
        },
        (error) => {
          if (!left) setFailure({ error });
        },
      );
      return () => {
        left = true;
      };
    }, [wanted]);
    if (failure) throw failure.error;
    return Part ? <Part {...props} /> : null;
  };
}
