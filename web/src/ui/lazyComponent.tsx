import { type ComponentType, useEffect, useState } from 'react';

/**
 * A component whose code is fetched when it first renders; until then it renders nothing. If the
 * code fails to load, it throws, and fetches it again when it is mounted again. React's own lazy
 * does the same within a Suspense, but React keeps a Suspense fallback, even an empty one, for at
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

  // biome-ignore lint/correctness/noComponentHookFactories: one for each part, created once per module
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
