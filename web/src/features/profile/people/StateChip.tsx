import CheckCircleFilled from '@ant-design/icons/CheckCircleFilled';
import LockOutlined from '@ant-design/icons/LockOutlined';
import StopOutlined from '@ant-design/icons/StopOutlined';
import { useTranslation } from 'react-i18next';
import type { PersonState } from './queries';
import css from './StateChip.module.css';

const icons = { active: CheckCircleFilled, disabled: StopOutlined, shut: LockOutlined };

/** Whether the person may sign in, as an icon and a word, without a background, since every row has it. */
export function StateChip({ state }: { state: PersonState }) {
  const { t } = useTranslation();
  const Icon = icons[state];
  return (
    <span className={`${css.state} ${css[state]}`}>
      <Icon aria-hidden="true" />
      {t(`people.state.${state}`)}
    </span>
  );
}
