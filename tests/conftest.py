import signal


def pytest_configure() -> None:
    """Programs that the tests start and interrupt inherit an ignored SIGINT where the tests run in the background."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
