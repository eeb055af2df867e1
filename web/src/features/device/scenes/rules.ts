import { isVisibleName } from '@/lib/text/visibleName';
import type { Errors } from '@/ui/form/useForm';

/** In characters, as people count them. */
export const maxNameLength = 64;

export interface SceneValues {
  name: string;
  /** 1 usable, 2 forbidden; null until one is chosen. */
  status: 1 | 2 | null;
}

export type SceneError = 'scene.nameRequired' | 'scene.nameLength' | 'scene.statusRequired';

export function checkScene({ name, status }: SceneValues): Errors<SceneValues, SceneError> {
  const errors: Errors<SceneValues, SceneError> = {};
  if (!isVisibleName(name)) errors.name = 'scene.nameRequired';
  else if ([...name.trim()].length > maxNameLength) errors.name = 'scene.nameLength';
  if (status === null) errors.status = 'scene.statusRequired';
  return errors;
}
