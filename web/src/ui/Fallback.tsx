import { Component, type ReactNode } from 'react';

interface FallbackProps {
  /** Stands in place of the children when they cannot be drawn. */
  note: ReactNode;
  children: ReactNode;
}

/** Keeps a failure of one part from taking the page with it. Give it a new key to try again. */
export class Fallback extends Component<FallbackProps, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    return this.state.failed ? this.props.note : this.props.children;
  }
}
