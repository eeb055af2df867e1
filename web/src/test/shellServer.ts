import { ok, onGet, onPost } from './server';

/** The tenant's zone is the tests' own by default, so that both read the same times. */
export const tenantZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/**
 * A server that answers everything that the frame around the pages requests. Returns the state that
 * a test can change and count.
 */
export function shellServer() {
  const state = { unread: 3, pending: 2, calls: [] as string[] };
  const count = (path: string) => state.calls.push(path);
  onGet('/app-api/member/auth/ways', () => ok({ password: true, oidc: null }));
  onGet('/app-api/member/user/get', () =>
    ok({
      id: 7,
      userName: 'elif.kaya',
      nickname: 'Elif Kaya',
      email: '',
      mobile: '',
      avatar: '',
      role: 'owner',
      tenantName: 'Aydın Valley Growers',
      timeZone: tenantZone,
    }),
  );
  onGet('/admin-api/client/pc/home/overview-statistics', () => {
    count('overview');
    return ok({
      deviceCount: 248,
      onlineCount: 231,
      offlineCount: 17,
      todayAlarmCount: 6,
      sceneCount: 5,
      unassignedCount: 96,
      pendingAlarmCount: state.pending,
      offlineTodayCount: 3,
      time: Date.now(),
    });
  });
  onGet('/admin-api/client/pc/notify-message/get-unread-count', () => {
    count('unread');
    return ok(state.unread);
  });
  onGet('/admin-api/system/tenant/get-by-website', () => ok(null));
  onGet('/admin-api/system/tenant/get-id-by-name', () => ok(7));
  onGet('/admin-api/system/console/settings', () =>
    ok({ version: '0.1.0', defaultTenant: 'demo', mapTiles: null, captcha: 'off', demoPages: true, passwordMin: 6 }),
  );
  onGet('/admin-api/client/pc/notice-channel/page', () => ok({ list: [], total: 0 }));
  onGet('/admin-api/client/pc/notice-channel/get/ways', () => ok({ email: true, phoneMessage: true }));
  onPost('/app-api/member/auth/logout', () => {
    count('logout');
    return ok(true);
  });
  return state;
}
