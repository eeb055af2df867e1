import { isSeen } from '@/lib/name';
import type { Errors } from '@/ui/form/useForm';

/** In characters, as people count them. */
export const mostNameLength = 64;

export interface SceneValues {
  name: string;
  /** 1 usable, 2 forbidden; null until one is chosen. */
  status: 1 | 2 | null;
}

export type SceneError = 'scene.nameRequired' | 'scene.nameLength' | 'scene.statusRequired';

export function checkScene({ name, status }: SceneValues): Errors<SceneValues, SceneError> {
  const errors: Errors<SceneValues, SceneError> = {};
  if (!isSeen(name)) errors.name = 'scene.nameRequired';
  else if ([...name.trim()].length > mostNameLength) errors.name = 'scene.nameLength';
  if (status === null) errors.status = 'scene.statusRequired';
  return errors;
}
