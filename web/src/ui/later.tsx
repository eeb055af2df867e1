import { type ComponentType, useEffect, useState } from 'react';

/**
 * A component whose code is fetched when it is first drawn; until it is there, nothing is. Code that does not come is thrown,
 * and fetched anew when the component is mounted anew.
 *
 * React's own lazy does the same within a Suspense, but React keeps whatever a Suspense showed meanwhile, be it nothing, for at
 * least 300 ms.
 */
export function later<Name extends string, Props extends object>(
  code: () => Promise<Record<Name, ComponentType<Props>>>,
  name: Name,
): ComponentType<Props> {
  let known: ComponentType<Props> | undefined;
  let coming: Promise<void> | undefined;
  const come = () => {
    coming ??= code()
      .then((module) => {
        known = module[name];
      })
      .finally(() => {
        coming = undefined;
      });
    return coming;
  };

  // biome-ignore lint/correctness/noComponentHookFactories: one for each part, made once where its module is
  return function Later(props: Props) {
    const [Part, setPart] = useState(() => known);
    const [failure, setFailure] = useState<{ error: unknown }>();
    const wanted = Part === undefined;
    useEffect(() => {
      if (!wanted) return;
      let left = false;
      come().then(
        () => {
          if (!left) setPart(() => known);
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
