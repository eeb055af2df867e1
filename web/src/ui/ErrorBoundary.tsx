import { Component, type ReactNode } from 'react';

interface ErrorBoundaryProps {
  /** Replaces the children when rendering them fails. */
  fallback: ReactNode;
  children: ReactNode;
}

/** Keeps a failure of one part from breaking the page. A new key retries. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    return this.state.failed ? this.props.fallback : this.props.children;
  }
}
