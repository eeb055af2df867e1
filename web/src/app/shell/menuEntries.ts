import AlertOutlined from '@ant-design/icons/AlertOutlined';
import AreaChartOutlined from '@ant-design/icons/AreaChartOutlined';
import DeploymentUnitOutlined from '@ant-design/icons/DeploymentUnitOutlined';
import ExceptionOutlined from '@ant-design/icons/ExceptionOutlined';
import HomeOutlined from '@ant-design/icons/HomeOutlined';
import MessageOutlined from '@ant-design/icons/MessageOutlined';
import SendOutlined from '@ant-design/icons/SendOutlined';
import UserOutlined from '@ant-design/icons/UserOutlined';

/** The entries of the side menu, in order. */
export const mainMenuEntries = [
  { name: 'home', path: '/dashboard-default', Icon: HomeOutlined },
  { name: 'data', path: '/data', Icon: AreaChartOutlined },
  { name: 'device', path: '/device', Icon: DeploymentUnitOutlined },
  { name: 'alarm', path: '/alarm', Icon: AlertOutlined },
  { name: 'inform', path: '/inform', Icon: ExceptionOutlined },
  { name: 'channel', path: '/notification', Icon: SendOutlined },
] as const;

export const personalMenuEntries = [
  { name: 'profile', path: '/profile', Icon: UserOutlined },
  { name: 'message', path: '/message', Icon: MessageOutlined },
] as const;

export type MenuEntry = (typeof mainMenuEntries)[number] | (typeof personalMenuEntries)[number];

/** Whether a page belongs to an entry: its own, those below it, and the analysis, which compares the data center's readings. */
export function belongsTo(path: string, entry: MenuEntry): boolean {
  if (path === '/analysis') return entry.name === 'data';
  return path === entry.path || path.startsWith(`${entry.path}/`);
}
