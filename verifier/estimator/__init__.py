"""What a variant's gradient is in expectation: its bias, covariance and second moment, exactly."""
