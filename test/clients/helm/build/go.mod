module trireme/test/clients/helm

go 1.24.0
