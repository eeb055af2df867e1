import { useQuery } from '@tanstack/react-query';
import type { components } from '@/api/schema.gen';
import { userQuery } from '../http/queries';

export type Role = components['schemas']['Role'];

/** From the least to the most. */
export const roles = ['viewer', 'operator', 'owner'] as const satisfies readonly Role[];

export function isRole(value: unknown): value is Role {
  return roles.some((role) => role === value);
}

/**
 * Whether the signed-in user's role allows what needs at least another, so that nobody is offered
 * what the server refuses. True until the user is fetched, which the frame around the pages does.
 */
export function useMay(least: Role): boolean {
  const role = useRole();
  return role === undefined || roles.indexOf(role) >= roles.indexOf(least);
}

/** Like useMay, but false until the user is fetched: for a call that the server refuses to others. */
export function useMayAsk(least: Role): boolean {
  const isKnown = useRole() !== undefined;
  return useMay(least) && isKnown;
}

function useRole(): Role | undefined {
  return useQuery({ ...userQuery(), enabled: false, select: (user) => user.role }).data;
}
