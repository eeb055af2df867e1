import ExclamationCircleOutlined from '@ant-design/icons/ExclamationCircleOutlined';
import InfoCircleOutlined from '@ant-design/icons/InfoCircleOutlined';
import WarningOutlined from '@ant-design/icons/WarningOutlined';
import type { ReactNode } from 'react';
import css from './Note.module.css';

type NoteTone = 'warn' | 'info' | 'wrong';

const icons = { warn: WarningOutlined, info: InfoCircleOutlined, wrong: ExclamationCircleOutlined };

interface NoteProps {
  /**
   * `warn`: something prevents the action. `info`: a consequence to know. `wrong`: the last attempt
   * is not possible.
   */
  tone: NoteTone;
  title?: string;
  children: ReactNode;
  /** The next step: one button. */
  action?: ReactNode;
}

export function Note({ tone, title, children, action }: NoteProps) {
  const Icon = icons[tone];
  return (
    <div className={`${css.note} ${css[tone]}`} role={tone === 'wrong' ? 'alert' : undefined}>
      <Icon className={css.icon} aria-hidden="true" />
      <div className={css.words}>
        {title ? <p className={css.title}>{title}</p> : null}
        <p className={title ? css.text : undefined}>{children}</p>
        {action ? <div className={css.action}>{action}</div> : null}
      </div>
    </div>
  );
}
