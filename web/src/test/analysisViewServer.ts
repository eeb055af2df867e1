import type { View } from '@/features/analysis/views/queries';
import { ok, onDelete, onGet, onPost, onPut, refused } from './server';

const path = '/admin-api/client/pc/analysis-view';

/** A server with one user's saved views; it records what is sent. */
export function analysisViewServer(views: View[] = []) {
  const state = { views, sent: [] as { call: string; body: unknown }[], refusal: '' };
  const taken = ({ id, name }: Partial<View>) =>
    state.views.some((view) => view.id !== id && view.name.toLowerCase() === name?.toLowerCase());
  const change = async (call: string, request: Request, act: (body: View) => unknown) => {
    const body = (await request.json()) as View;
    state.sent.push({ call, body });
    if (state.refusal !== '') return refused(601, state.refusal);
    if (taken(body)) return refused(601, 'There is already a view of this name');
    return ok(act(body) as never);
  };
  onGet(`${path}/list`, () => ok([...state.views].sort((a, b) => (a.name < b.name ? -1 : 1))));
  onPost(`${path}/create`, ({ request }) =>
    change('create', request, ({ name, query }) => {
      const id = Math.max(0, ...state.views.map((view) => view.id)) + 1;
      state.views = [...state.views, { id, name, query }];
      return id;
    }),
  );
  onPut(`${path}/update`, ({ request }) =>
    change('update', request, (body) => {
      state.views = state.views.map((view) => (view.id === body.id ? body : view));
      return true;
    }),
  );
  onDelete(`${path}/delete`, ({ request }) => {
    const id = Number(new URL(request.url).searchParams.get('id'));
    state.sent.push({ call: 'delete', body: id });
    state.views = state.views.filter((view) => view.id !== id);
    return ok(true);
  });
  return state;
}
